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
        .complete(words.slice(words[1] === '--' ? 2 : 1), process.env)
        .join('\n'),
    )
  if (asksVersion()) return print(load('version'))
  process.on('uncaughtException', unhandled)
  cacheCompiledCode()
  var main = load('main').main
  main(words, load('world').createWorld()).then(function (code) {
    process.exitCode = code
  }, crash)
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
  var enable = require('module').enableCompileCache
  var env = process.env
  if (!enable || env.NODE_COMPILE_CACHE) return
  var home = env.HOME || env.USERPROFILE
  var base = env.XDG_CACHE_HOME || env.LOCALAPPDATA || (home && home + (process.platform === 'darwin' ? '/Library/Caches' : '/.cache'))
  if (base) enable(base + '/parley')
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
