"""Certified arrays: attention, softmax, log-sum-exp and gradients whose every entry is the correct rounding of the exact number."""

from symattn.certified.attend import attention, logsumexp, softmax
from symattn.certified.gradient import attention_grad
from symattn.certified.result import Certified, CertifiedArray, CertifiedGradient, Report

__all__ = ["Certified", "CertifiedArray", "CertifiedGradient", "Report", "attention", "attention_grad", "logsumexp", "softmax"]
