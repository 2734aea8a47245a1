# The identities with which CI deploys and plans.

mock_provider "google" {
  source          = "./tests/mocks"
  override_during = plan
}

variables {
  repository_id       = "1234"
  repository_owner_id = "56"
  branch              = "main"
  state_bucket        = "p-terraform-state"
  archives_bucket     = "p-ragbase-functions"
}

run "only_workflows_of_one_repository_on_one_branch_deploy" {
  command = plan

  module {
    source = "./modules/ci"
  }

  assert {
    condition     = google_iam_workload_identity_pool_provider.github.attribute_condition == "assertion.repository_id == \"1234\" && assertion.repository_owner_id == \"56\" && assertion.ref == \"refs/heads/main\" && assertion.event_name in [\"push\", \"schedule\", \"workflow_dispatch\"]"
    error_message = "Other repositories on GitHub, one that takes over the name, or pull requests can deploy."
  }

  assert {
    condition     = alltrue([for provider in [google_iam_workload_identity_pool_provider.github, google_iam_workload_identity_pool_provider.plan] : provider.oidc[0].issuer_uri == "https://token.actions.githubusercontent.com"])
    error_message = "Somebody other than GitHub says which repository it is."
  }
}

run "who_plans_is_of_the_repository_and_no_stranger" {
  command = plan

  module {
    source = "./modules/ci"
  }

  assert {
    condition     = google_iam_workload_identity_pool_provider.plan.attribute_condition == "assertion.repository_id == \"1234\" && assertion.repository_owner_id == \"56\" && (assertion.event_name == \"pull_request\" || assertion.ref == \"refs/heads/main\" && assertion.event_name in [\"schedule\", \"workflow_dispatch\"])"
    error_message = "Other repositories, or events that strangers cause, get a token."
  }

  assert {
    condition     = !anytrue([for provider in [google_iam_workload_identity_pool_provider.github, google_iam_workload_identity_pool_provider.plan] : strcontains(provider.attribute_condition, "pull_request_target")])
    error_message = "A pull request of a stranger runs as the branch."
  }
}

run "each_provider_leads_to_its_own_account" {
  command = plan

  module {
    source = "./modules/ci"
  }

  assert {
    condition     = google_iam_workload_identity_pool_provider.github.attribute_mapping["attribute.may"] == "'deploy'" && google_iam_workload_identity_pool_provider.plan.attribute_mapping["attribute.may"] == "'plan'"
    error_message = "What a workflow may comes from GitHub's token, or both providers give the same."
  }

  assert {
    condition     = google_service_account_iam_member.ci.role == "roles/iam.workloadIdentityUser" && endswith(google_service_account_iam_member.ci.member, "/attribute.may/deploy") && google_service_account_iam_member.ci.service_account_id == google_service_account.ci.name
    error_message = "Others than who deploys act as the account that deploys."
  }

  assert {
    condition     = google_service_account_iam_member.plan.role == "roles/iam.workloadIdentityUser" && endswith(google_service_account_iam_member.plan.member, "/attribute.may/plan") && google_service_account_iam_member.plan.service_account_id == google_service_account.plan.name
    error_message = "Who plans acts as another account."
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

run "who_plans_only_reads_and_reads_no_document" {
  command = plan

  module {
    source = "./modules/ci"
  }

  assert {
    condition     = alltrue([for permission in google_project_iam_custom_role.plan.permissions : can(regex("[.](get|list|getIamPolicy|getMetadata)$", permission)) || permission == "serviceusage.services.use"]) && length([for permission in google_project_iam_custom_role.plan.permissions : permission if startswith(permission, "storage.objects.") || startswith(permission, "datastore.entities.") || permission == "secretmanager.versions.access"]) == 0
    error_message = "A plan changes something, or reads documents, records or secrets."
  }

  assert {
    condition     = google_project_iam_member.plan_objects.role == "roles/storage.objectViewer" && google_project_iam_member.plan_objects.condition[0].expression == "resource.name.startsWith(\"projects/_/buckets/p-terraform-state/objects/\") || resource.name == \"projects/_/buckets/p-terraform-state\" || resource.name.startsWith(\"projects/_/buckets/p-ragbase-functions/objects/\") || resource.name == \"projects/_/buckets/p-ragbase-functions\""
    error_message = "Who plans reads other buckets than that of the state and that of the archives."
  }

  assert {
    condition     = google_project_iam_member.plan.member == "serviceAccount:${google_service_account.plan.email}" && google_project_iam_member.plan_objects.member == "serviceAccount:${google_service_account.plan.email}"
    error_message = "Somebody else may plan."
  }
}

run "a_repository_by_its_name_is_refused" {
  command = plan

  module {
    source = "./modules/ci"
  }

  variables {
    repository_id       = "my-company/ragbase"
    repository_owner_id = "my-company"
  }

  expect_failures = [var.repository_id, var.repository_owner_id]
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
