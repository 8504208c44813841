"""Engines that score tables of claims."""
