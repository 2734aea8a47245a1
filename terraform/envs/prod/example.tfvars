project      = "ragbase-prod-example"
api_callers  = [] # who may ask, for example ["group:readers@your-company.com"]
alert_emails = ["oncall@example.com"]
budget       = { billing_account = "012345-6789AB-CDEF01", amount = 300 }

# To use a hosted Weaviate and not the VM:
# weaviate = { url = "https://example.weaviate.network", grpc_url = "https://grpc-example.weaviate.network:443" }
