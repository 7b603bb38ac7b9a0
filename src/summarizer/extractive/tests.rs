//! Golden replies on invented texts, and what must hold for any text.

use super::*;
