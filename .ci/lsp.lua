-- What Neovim shows of a small repository, with the file of editors/neovim. Ends with an error if something is missing.
vim.g.promgen = os.getenv("PROMGEN")
local repository = os.getenv("REPOSITORY")

local function fail(text)
  io.stderr:write("Neovim: " .. text .. "\n")
  vim.cmd("cquit 1")
end

local function check(holds, text)
  if not holds then
    fail(text)
  end
end

-- Waits until `find` returns something.
local function wait(what, find)
  local found
  vim.wait(30000, function()
    found = find()
    return found ~= nil and found ~= false
  end, 20)
  check(found, what .. " does not come")
  return found
end

local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, 30000) or {}
  for _, answer in pairs(answers) do
    if answer.result ~= nil then
      return answer.result
    end
  end
  fail(method .. " has no answer")
end

local function at(line, column)
  vim.api.nvim_win_set_cursor(0, { line, column })
  return vim.lsp.util.make_position_params(0, "utf-16")
end

local function text(value)
  return vim.inspect(value)
end

local function run()
  vim.cmd("edit " .. repository .. "/cart.yaml")
  vim.cmd("set filetype=yaml")
  local function of_rule(code)
    for _, found in ipairs(vim.diagnostic.get(0)) do
      if found.code == code or (found.user_data and found.user_data.lsp and found.user_data.lsp.code == code) then
        return found
      end
    end
  end
  local unknown = wait("the unknown field", function() return of_rule("PG010") end)
  check(unknown.lnum == 11 and unknown.col == 4, "the unknown field is elsewhere: " .. text(unknown))

  local hover = text(ask("textDocument/hover", at(4, 9)))
  check(hover:find("Prometheus shop/main", 1, true), "hover names no Prometheus: " .. hover)
  local symbols = text(ask("textDocument/documentSymbol", { textDocument = vim.lsp.util.make_text_document_params(0) }))
  check(symbols:find("cart", 1, true), "no symbol: " .. symbols)
  local definition = text(ask("textDocument/definition", at(9, 25)))
  check(definition:find("cart.yaml", 1, true), "the selector leads nowhere: " .. definition)
  local of_monitor = at(4, 9)
  of_monitor.context = { includeDeclaration = false }
  local references = text(ask("textDocument/references", of_monitor))
  check(references:find("main.yaml", 1, true), "nobody refers to the monitor: " .. references)

  local range = vim.lsp.util.make_given_range_params({ 12, 4 }, { 12, 13 }, 0, "utf-16")
  range.context = { diagnostics = {} }
  local actions = ask("textDocument/codeAction", range)
  check(actions[1] and actions[1].edit, "no quick fix: " .. text(actions))
  vim.lsp.util.apply_workspace_edit(actions[1].edit, "utf-16")
  local line = vim.api.nvim_buf_get_lines(0, 11, 12, false)[1]
  check(line == "    interval: 30s", "the quick fix writes " .. line)
  wait("the repair", function() return of_rule("PG010") == nil end)

  vim.api.nvim_buf_set_lines(0, 12, 12, false, { "    " })
  local items = text(ask("textDocument/completion", at(13, 4)))
  check(items:find("scrapeTimeout", 1, true), "no completion: " .. items:sub(1, 300))
  vim.fn.writefile({}, repository .. "/neovim-is-done")
  print("Neovim shows findings, applies a fix, hovers, follows, refers, lists and completes\n")
end

local ok, why = pcall(run)
if not ok then
  fail(tostring(why))
end
vim.cmd("qall!")
