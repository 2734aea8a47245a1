# Who read or changed data past ragbase: with the console, gcloud or a tunnel. Google logs that for no service of these unless
# it is told to (https://cloud.google.com/logging/docs/audit/configure-data-access).
#
# The functions' own accounts are left out, as each document and question would cause entries: what they do is in ragbase's
# own audit log. So it costs what people do, some KB for each access, of 50 GiB a month that are free
# (https://cloud.google.com/products/observability/pricing).

locals {
  watched = {
    "storage.googleapis.com"       = ["DATA_READ", "DATA_WRITE"]
    "datastore.googleapis.com"     = ["DATA_READ", "DATA_WRITE"] # Firestore's name there
    "secretmanager.googleapis.com" = ["DATA_READ"]
    "iap.googleapis.com"           = ["DATA_READ"] # tunnels to Weaviate's VM
  }
  # A function reads its secrets when an instance starts, so these entries are few.
  own_accounts = { for service in keys(local.watched) : service => service == "secretmanager.googleapis.com" ? [] : sort([for account in values(google_service_account.function) : "serviceAccount:${account.email}"]) }
}

resource "google_project_iam_audit_config" "access" {
  for_each = local.watched
  project  = var.project
  service  = each.key
  dynamic "audit_log_config" {
    for_each = toset(each.value)
    content {
      log_type         = audit_log_config.value
      exempted_members = local.own_accounts[each.key]
    }
  }
  depends_on = [google_project_service.required]
}
