# With your own key (kms_key), the services that encrypt with it need the right to use it.

resource "google_kms_crypto_key_iam_member" "agent" {
  for_each      = var.kms_key == null ? {} : { for name in ["compute", "firestore", "pubsub", "secret_manager", "storage"] : name => local.agents[name] }
  crypto_key_id = var.kms_key
  role          = "roles/cloudkms.cryptoKeyEncrypterDecrypter"
  member        = each.value

  depends_on = [google_project_service.required]
}
