-- Starts `promgen lsp` for YAML in a repository. For Neovim 0.7 to 0.10; from 0.11 on `vim.lsp.config` does the same.
local clients = {}

-- The folder of the repository: the nearest one with `promgen.yaml` or `.git`.
local function root(file)
  local folder = vim.fn.fnamemodify(file, ":p:h")
  local settings = vim.fn.findfile("promgen.yaml", folder .. ";")
  if settings ~= "" then
    return vim.fn.fnamemodify(settings, ":p:h")
  end
  local git = vim.fn.finddir(".git", folder .. ";")
  return git ~= "" and vim.fn.fnamemodify(git, ":p:h:h") or nil
end

vim.api.nvim_create_autocmd("FileType", {
  pattern = { "yaml", "helm" },
  callback = function(event)
    local folder = root(vim.api.nvim_buf_get_name(event.buf))
    if folder == nil then
      return
    end
    clients[folder] = clients[folder]
      or vim.lsp.start_client({
        name = "promgen",
        cmd = { vim.g.promgen or "promgen", "lsp" },
        root_dir = folder,
        on_exit = function()
          clients[folder] = nil
        end,
      })
    if clients[folder] ~= nil then
      vim.lsp.buf_attach_client(event.buf, clients[folder])
    end
  end,
})
