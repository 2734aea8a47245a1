# What only dev has, beside the variables that every environment has: nothing.

locals {
  own_settings = {}
}
