"""What data sets of image files share."""
