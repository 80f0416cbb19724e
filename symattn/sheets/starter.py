"""The text that `worksheet new` starts from: small, complete, and building as it is."""

from __future__ import annotations

import json

_TEXT = """\
+++
title = {{ es = {title}, en = {title} }}
lang = "es"
source = {source}  # the file name of the document; --source says where it is

[labels]
token = ["uno", "dos"]
+++

::: es
Qué se calcula aquí, en dos o tres frases.
:::

::: en
What is calculated here, in two or three sentences.
:::

```given
X(token, model) = [[1, 2], [3, 1]]
```

::: es
## Los puntajes

Cada puntaje es el producto punto de dos filas.
:::

::: en
## The scores

Each score is the dot product of two rows.
:::

```step
S = X @ X.T
show S[uno]
| S[uno,dos] "1*3 + 2*1 = 5" @1
```
"""


def starter(name: str, source: str) -> str:
    """A first worksheet called `name` about the document `source`."""
    return _TEXT.format(title=json.dumps(name.replace("-", " ").replace("_", " "), ensure_ascii=False), source=json.dumps(source))
