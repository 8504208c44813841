"""What outcomes teach: weights, calibration and promises."""
