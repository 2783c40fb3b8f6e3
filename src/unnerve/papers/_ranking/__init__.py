"""What NSATP and PEACEPACT share: trained networks whose ranking of test inputs is put to the proof."""
