# Copy this to terraform.tfvars, fill it in, and commit it: it holds no secret.
project      = "ragbase-prod-example"
api_callers  = [] # who may ask, for example ["group:readers@your-company.com"]
alert_emails = ["oncall@example.com"]
budget       = { billing_account = "012345-6789AB-CDEF01", amount = 300 }

# To use Weaviate Cloud and not the VM:
# weaviate = { url = "https://example.c0.europe-west3.gcp.weaviate.cloud" }
