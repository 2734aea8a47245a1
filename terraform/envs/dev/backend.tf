# The state is in a bucket that scripts/deploy creates and names. It is versioned, private, and locked during an apply.
terraform {
  backend "gcs" {
    prefix = "ragbase/dev"
  }
}
