# The tests need 1.11 (mocked values in plans). The modules need 1.9 (validations that compare variables). Terraform's own
# provider is part of Terraform: settings.tf calls a function of it.
terraform {
  required_version = ">= 1.11"
  required_providers {
    google = {
      source  = "hashicorp/google"
      version = "~> 7.46"
    }
    terraform = {
      source = "terraform.io/builtin/terraform"
    }
  }
}
