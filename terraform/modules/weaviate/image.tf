# A mirror of Docker Hub. The VM cannot reach the internet, but Artifact Registry can. It keeps the images that it fetched.
resource "google_artifact_registry_repository" "hub" {
  #checkov:skip=CKV_GCP_84:The images are copies of public images and contain no document
  project       = var.project
  location      = var.region
  repository_id = var.name
  description   = "Images of Docker Hub for the VM, which has no public address."
  format        = "DOCKER"
  mode          = "REMOTE_REPOSITORY"
  labels        = var.labels
  remote_repository_config {
    docker_repository {
      public_repository = "DOCKER_HUB"
    }
  }
}

# With a digest, the VM takes these bytes and no others, whatever the tag names by then.
locals {
  registry = "${var.region}-docker.pkg.dev"
  image    = "${local.registry}/${var.project}/${google_artifact_registry_repository.hub.repository_id}/semitechnologies/weaviate:${var.image_tag}${var.image_digest == null ? "" : "@${var.image_digest}"}"
}
