"""Questions with the right answers, and other engines that are asked them."""
