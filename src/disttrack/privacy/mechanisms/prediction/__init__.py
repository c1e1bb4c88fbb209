"""Online learners of point functions, private and not, with their exact privacy and errors."""
