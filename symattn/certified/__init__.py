"""Certified arrays: attention, softmax and log-sum-exp whose every entry is the correct rounding of the exact number."""

from symattn.certified.attend import attention, logsumexp, softmax
from symattn.certified.result import Certified, CertifiedArray, Report

__all__ = ["Certified", "CertifiedArray", "Report", "attention", "logsumexp", "softmax"]
