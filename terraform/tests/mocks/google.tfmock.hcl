# The mocked provider of all tests. It invents the values that Google would compute.
#
# With `override_during = plan`, a plan already knows the computed values of these resources. So a test needs no apply.

mock_resource "google_artifact_registry_repository" {}
mock_resource "google_cloudfunctions2_function" {}
mock_resource "google_compute_backend_service" {}
mock_resource "google_compute_disk" {}
mock_resource "google_compute_global_address" {}
mock_resource "google_compute_managed_ssl_certificate" {}
mock_resource "google_compute_network" {}
mock_resource "google_compute_region_network_endpoint_group" {}
mock_resource "google_compute_security_policy" {}
mock_resource "google_compute_ssl_policy" {}
mock_resource "google_compute_subnetwork" {}
mock_resource "google_compute_target_http_proxy" {}
mock_resource "google_compute_target_https_proxy" {}
mock_resource "google_compute_url_map" {}
mock_resource "google_iam_workload_identity_pool" {}
mock_resource "google_monitoring_notification_channel" {}
mock_resource "google_pubsub_topic" {}
mock_resource "google_service_account" {}
mock_resource "google_storage_bucket" {}

mock_data "google_project" {
  defaults = { number = "123456789012" }
}

mock_data "google_storage_project_service_account" {
  defaults = { email_address = "service-123456789012@gs-project-accounts.iam.gserviceaccount.com" }
}
