#!/usr/bin/env node
// Plain old syntax throughout: an old Node has to get as far as being told that it is too old.
'use strict'

var words = process.argv.slice(2)
var node = process.versions.node.split('.')
if (+node[0] < 20 || (+node[0] === 20 && +node[1] < 18)) stop('needs Node 20.18 or newer, and this is ' + process.version + '.')

try {
  start()
} catch (error) {
  crash(error)
}

function start() {
  if (words[0] === '__complete')
    return print(
      load('complete')
        .complete(words.slice(words[1] === '--' ? 2 : 1), process.env, { os: process.platform, cwd: folder() })
        .join('\n'),
    )
  if (asksVersion()) return print(load('version'))
  process.on('uncaughtException', unhandled)
  cacheCompiledCode()
  var program = load('main')
  program.main(words, program.createWorld()).then(function (code) {
    process.exitCode = code
  }, crash)
}

/** Empty where the folder is gone. */
function folder() {
  try {
    return process.cwd()
  } catch (_) {
    return ''
  }
}

function asksVersion() {
  var end = words.indexOf('--')
  var own = end < 0 ? words : words.slice(0, end)
  return own.indexOf('--version') >= 0 || own.indexOf('-V') >= 0
}

function load(name) {
  var file = require('path').join(__dirname, '../dist', name + '.js')
  try {
    return require(file)
  } catch (error) {
    if (error.code === 'MODULE_NOT_FOUND' && !require('fs').existsSync(file)) stop('is not built yet; run "npm run build".')
    throw error
  }
}

/** Straight to the descriptor: the stream object behind process.stdout costs more than the whole answer. */
function print(text) {
  if (text === '') return
  try {
    require('fs').writeSync(1, text + '\n')
  } catch (error) {
    if (error.code === 'EAGAIN') process.stdout.write(text + '\n')
    else if (error.code !== 'EPIPE') throw error
  }
}

/** Kept under the user's own cache folder: in a shared one somebody else could put code there for us to run. */
function cacheCompiledCode() {
  var Module = module.constructor
  var env = process.env
  var home = env.HOME || env.USERPROFILE
  var base = env.XDG_CACHE_HOME || env.LOCALAPPDATA || (home && home + (process.platform === 'darwin' ? '/Library/Caches' : '/.cache'))
  var own = env.PARLEY_CACHE_DIR || (base && base + '/parley')
  if (!own || env.NODE_COMPILE_CACHE || env.NODE_DISABLE_COMPILE_CACHE) return
  if (Module.enableCompileCache) Module.enableCompileCache(own)
  else keepCompiledCode(Module, own + '/' + process.version + '-' + process.arch)
}

/**
 * The same for Node 20, which has no such cache and takes a third of a short command to compile. Only for the larger chunks:
 * the name of a chunk changes with what is in it, so a kept one is never another's. V8 itself refuses what another V8 has written.
 */
function keepCompiledCode(Module, folder) {
  var fs = require('fs')
  var path = require('path')
  var vm = require('vm')
  var chunks = path.join(__dirname, '../dist/chunks')
  var compile = Module.prototype._compile
  var head = '(function (exports, require, module, __filename, __dirname) { '
  var fresh = []
  Module.prototype._compile = function (code, file) {
    if (code.length < 10000 || path.dirname(file) !== chunks) return compile.call(this, code, file)
    var kept = path.join(folder, path.basename(file))
    var data
    try {
      data = fs.readFileSync(kept)
    } catch (_) {
      // Not kept yet, or not to be read: both mean compiling.
    }
    var script = new vm.Script(head + code + '\n})', { filename: file, columnOffset: -head.length, cachedData: data })
    if (script.cachedDataRejected !== false) fresh.push({ file: kept, script: script })
    return script.runInThisContext().call(this.exports, this.exports, Module.createRequire(file), this, file, chunks)
  }
  // At the end, when the functions that were needed are compiled too.
  process.once('exit', function () {
    try {
      if (fresh.length) fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
      if (fresh.length) forgetOld(fs, path, folder)
      fresh.forEach(function (it) {
        var draft = it.file + '.' + process.pid
        var open = fs.openSync(draft, 'wx', 0o600)
        fs.writeSync(open, it.script.createCachedData())
        fs.closeSync(open)
        fs.renameSync(draft, it.file)
      })
    } catch (_) {
      // Nowhere to keep it: the next run compiles again.
    }
  })
}

/** What an earlier version kept is of no use to anybody after a month. */
function forgetOld(fs, path, folder) {
  var month = 30 * 24 * 3600 * 1000
  fs.readdirSync(folder).forEach(function (name) {
    var file = path.join(folder, name)
    if (Date.now() - fs.statSync(file).mtimeMs > month) fs.unlinkSync(file)
  })
}

/** A stream without a listener ends up here: whoever read our output has seen enough, `parley ... | head -1`. */
function unhandled(error) {
  if (error && error.code === 'EPIPE' && error.syscall === 'write') process.exit(0)
  crash(error)
}

function crash(error) {
  var debug = process.env.PARLEY_DEBUG || words.indexOf('--debug') >= 0
  var message = String((error && error.message) || error).split('\n')[0]
  stop(debug ? 'failed unexpectedly: ' + ((error && error.stack) || error) : 'failed unexpectedly: ' + message + ' (--debug shows where)')
}

function stop(message) {
  process.stderr.write('parley ' + message + '\n')
  process.exit(1)
}
