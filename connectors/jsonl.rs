//! Lines of a JSON Lines file with their numbers and places.
