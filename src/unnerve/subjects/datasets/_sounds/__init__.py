"""What data sets of sounds share."""
