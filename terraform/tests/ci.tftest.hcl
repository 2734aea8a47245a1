# The identity with which CI deploys.

mock_provider "google" {
  source          = "./tests/mocks"
  override_during = plan
}

variables {
  repository = "my-company/ragbase"
  branch     = "main"
}

run "only_workflows_of_one_repository_on_one_branch_are_let_in" {
  command = plan

  module {
    source = "./modules/ci"
  }

  assert {
    condition     = google_iam_workload_identity_pool_provider.github.attribute_condition == "assertion.repository == \"my-company/ragbase\" && assertion.ref == \"refs/heads/main\""
    error_message = "Other repositories on GitHub, or pull requests, can deploy."
  }

  assert {
    condition     = google_iam_workload_identity_pool_provider.github.oidc[0].issuer_uri == "https://token.actions.githubusercontent.com" && google_iam_workload_identity_pool_provider.github.attribute_mapping["attribute.repository"] == "assertion.repository"
    error_message = "Somebody other than GitHub says which repository it is."
  }
}

run "only_that_repository_acts_as_the_account" {
  command = plan

  module {
    source = "./modules/ci"
  }

  assert {
    condition     = google_service_account_iam_member.ci.role == "roles/iam.workloadIdentityUser" && google_service_account_iam_member.ci.member == "principalSet://iam.googleapis.com/${google_iam_workload_identity_pool.ci.name}/attribute.repository/my-company/ragbase"
    error_message = "Others than the repository act as the account of CI."
  }
}

run "ci_is_neither_owner_nor_editor" {
  command = plan

  module {
    source = "./modules/ci"
  }

  assert {
    condition     = length(setintersection(local.roles, ["roles/owner", "roles/editor"])) == 0 && toset(values(google_project_iam_member.ci)[*].role) == local.roles
    error_message = "CI may do more than deploy."
  }
}

run "an_address_of_a_repository_is_refused" {
  command = plan

  module {
    source = "./modules/ci"
  }

  variables {
    repository = "https://github.com/my-company/ragbase"
  }

  expect_failures = [var.repository]
}

run "a_branch_that_would_change_the_condition_is_refused" {
  command = plan

  module {
    source = "./modules/ci"
  }

  variables {
    branch = "main\" || assertion.ref != \""
  }

  expect_failures = [var.branch]
}
