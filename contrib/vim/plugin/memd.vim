" memd in vim: its findings in the quickfix list, its verbs as commands, and files read again when memd has written them.
"
"   :MemdCheck            every file of the workspace; :MemdCheck % only this one
"   :MemdSearch WORDS     what the workspace has of these words
"   :MemdTrigger MESSAGE  what this message brings to mind, in a scratch window
"   :MemdRemember TEXT    offer a text; with a range and no text, the lines of the range
"
" g:memd is the program (default 'memd'), g:memd_role the role (default 'main').

if exists('g:loaded_memd') || &compatible
  finish
endif
let g:loaded_memd = 1
let g:memd = get(g:, 'memd', 'memd')
let g:memd_role = get(g:, 'memd_role', 'main')

" The workspace of this buffer: the nearest memd.toml above it, else above the current directory.
function! s:workspace() abort
  for folder in [expand('%:p:h'), getcwd()]
    let found = findfile('memd.toml', fnameescape(folder) . ';')
    if !empty(found)
      return fnamemodify(found, ':p:h')
    endif
  endfor
  return ''
endfunction

function! s:run(words) abort
  let workspace = s:workspace()
  if empty(workspace)
    echohl ErrorMsg | echomsg 'memd: no memd.toml here or above' | echohl None
    return []
  endif
  let words = [g:memd, a:words[0], '--workspace', workspace] + a:words[1:]
  return systemlist(join(map(words, 'shellescape(v:val)'), ' ') . ' 2>&1')
endfunction

function! s:check(...) abort
  let workspace = s:workspace()
  let files = map(copy(a:000), 'fnamemodify(expand(v:val), ":p")')
  let lines = s:run(['check', '--'] + files)
  let found = []
  for line in lines
    let parts = matchlist(line, '^\(.\{-}\):\(\d\+\):\(\d\+\): \(\S\+\) \(.*\)$')
    if !empty(parts)
      call add(found, {'filename': workspace . '/' . parts[1], 'lnum': parts[2], 'col': parts[3],
            \ 'type': 'E', 'text': parts[4] . ' ' . parts[5]})
    endif
  endfor
  call setqflist([], ' ', {'title': 'memd check', 'items': found})
  echo empty(found) ? get(lines, -1, '') : len(found) . ' findings'
  if !empty(found)
    copen
  endif
endfunction

function! s:show(title, lines) abort
  execute 'botright new' fnameescape('memd ' . a:title)
  setlocal buftype=nofile bufhidden=wipe noswapfile
  call setline(1, a:lines)
  setlocal nomodifiable
endfunction

function! s:remember(count, first, last, text) abort
  let text = empty(a:text) && a:count ? join(getline(a:first, a:last), "\n") : a:text
  if !empty(text)
    echo join(s:run(['remember', '--source', 'user', '--explicit', '--', g:memd_role, text]), "\n")
  endif
endfunction

command! -nargs=* -complete=file MemdCheck call s:check(<f-args>)
command! -nargs=+ MemdSearch call s:show('search', s:run(['search', '--', <q-args>]))
command! -nargs=+ MemdTrigger call s:show('trigger', s:run(['trigger', '--', g:memd_role, <q-args>]))
command! -nargs=* -range=0 MemdRemember call s:remember(<count>, <line1>, <line2>, <q-args>)

" memd writes the files you look at. What you have changed yourself is never thrown away: vim asks.
augroup memd
  autocmd!
  autocmd BufReadPost,BufNewFile memory.json,MEMORY.md,USER.md setlocal autoread
  autocmd FocusGained,BufEnter,CursorHold memory.json,MEMORY.md,USER.md if !&modified | silent! checktime % | endif
augroup END
