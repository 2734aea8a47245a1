# Docker Hub as seen from inside: the VM has no way to the internet, but Artifact Registry has, and keeps what it fetched.
resource "google_artifact_registry_repository" "hub" {
  #checkov:skip=CKV_GCP_84:It holds copies of public images, and no document
  project       = var.project
  location      = var.region
  repository_id = var.name
  description   = "Docker Hub's images, for the VM without a public address."
  format        = "DOCKER"
  mode          = "REMOTE_REPOSITORY"
  labels        = var.labels
  remote_repository_config {
    docker_repository {
      public_repository = "DOCKER_HUB"
    }
  }
}

locals {
  registry = "${var.region}-docker.pkg.dev"
  image    = "${local.registry}/${var.project}/${google_artifact_registry_repository.hub.repository_id}/semitechnologies/weaviate:${var.image_tag}"
}
