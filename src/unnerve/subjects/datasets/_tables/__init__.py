"""What data sets of tables share."""
