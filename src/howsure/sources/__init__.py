"""Estimate the reliability of claim sources."""
