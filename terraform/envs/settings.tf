# What terraform.tfvars sets, and what of it nobody reads: dev and prod have a link to this file. Terraform itself only warns of
# a variable that it does not know, and drops an unknown attribute of an object without a word
# (https://developer.hashicorp.com/terraform/language/expressions/type-constraints#conversion-of-complex-types).

locals {
  # Every variable but the archives, which are code. `own_settings` is in the environment's variables.tf.
  all_settings = merge(local.own_settings, {
    project            = var.project
    region             = var.region
    locations          = var.locations
    database           = var.database
    functions          = var.functions
    quota              = var.quota
    settings           = var.settings
    more_models        = var.more_models
    log_level          = var.log_level
    alert_when         = var.alert_when
    api_callers        = var.api_callers
    api_sign_in        = var.api_sign_in
    api_password       = var.api_password
    weaviate_vm        = var.weaviate_vm
    weaviate_digest    = var.weaviate_digest
    weaviate_operators = var.weaviate_operators
    weaviate           = var.weaviate
    sources            = var.sources
    s3                 = var.s3
    audit_retention    = var.audit_retention
  })

  # The file as it is written, before Terraform converts each value to the type of its variable. The detour through JSON gives
  # both results one type.
  tfvars = "${path.module}/terraform.tfvars"
  given  = jsondecode(fileexists(local.tfvars) ? jsonencode(provider::terraform::decode_tfvars(file(local.tfvars))) : "{}")
  inner  = { for name, value in local.given : name => try({ for key, inner in value : key => inner }, {}) }

  # No variable has objects deeper than this. `at` is the path of the object that does not have the key.
  unknown_settings = concat(
    [for name, value in local.given : { at = "", key = name, allowed = keys(local.all_settings) } if !can(local.all_settings[name])],
    flatten([for name, object in local.inner : [
      for key, value in object : { at = name, key = key, allowed = keys(local.all_settings[name]) }
      if can(keys(local.all_settings[name])) && !can(local.all_settings[name][key])
    ]]),
    flatten([for name, object in local.inner : [for key, inner in object : [
      for last, value in try({ for last, value in inner : last => value }, {}) :
      { at = "${name}.${key}", key = last, allowed = keys(local.all_settings[name][key]) }
      if can(keys(local.all_settings[name][key])) && !can(local.all_settings[name][key][last])
    ]]]),
  )
}

output "settings" {
  description = "The settings of the last apply. scripts/deploy compares them with those of the next."
  value       = local.all_settings
  precondition {
    condition = length(local.unknown_settings) == 0
    error_message = join("\n", [for one in local.unknown_settings :
      "terraform.tfvars: ${one.at == "" ? "there is no variable" : "${one.at} has no"} ${one.key}. ${one.at == "" ? "The variables are" : "It can have"} ${join(", ", one.allowed)}."
    ])
  }
}
