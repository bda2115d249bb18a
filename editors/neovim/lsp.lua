vim.lsp.config("promgen", {
  cmd = { "promgen", "lsp" },
  filetypes = { "yaml", "helm" },
  root_markers = { "promgen.yaml", ".git" },
})
vim.lsp.enable("promgen")
