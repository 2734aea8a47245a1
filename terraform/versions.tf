# The tests need 1.11 (mocked values in plans). The modules need 1.9 (validations that compare variables).
terraform {
  required_version = ">= 1.11"
  required_providers {
    google = {
      source  = "hashicorp/google"
      version = "~> 7.46"
    }
  }
}
