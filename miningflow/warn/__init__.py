"""Warnings about results: what is suspicious, and what to do; plain data in, warnings out."""

from miningflow.warn.result_warning import ResultWarning, collapsed

__all__ = ["ResultWarning", "collapsed"]
