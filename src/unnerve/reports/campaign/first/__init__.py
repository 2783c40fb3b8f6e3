"""What a campaign's report says before anybody scrolls: the answer, why, three inputs, what to do next."""
