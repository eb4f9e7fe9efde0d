#!/usr/bin/env node
// Only old syntax is used here, so that an old Node can run the version check and report that it is too old.
'use strict'

var words = process.argv.slice(2)
// Whether the program is a single executable, which has the files of dist/ in itself.
var isBinary = __filename === process.execPath
var node = process.versions.node.split('.')
if (+node[0] < 20 || (+node[0] === 20 && +node[1] < 18))
  stop('requires Node 20.18 or newer. This is ' + process.version + '.')

try {
  start()
} catch (error) {
  crash(error)
}

function start() {
  if (words[0] === '__complete')
    return print(
      load('complete')
        .answerShell(words.slice(1), process.env, { os: process.platform, cwd: folder() }, list)
        .join('\n'),
    )
  if (asksVersion()) return print(load('version'))
  process.on('uncaughtException', unhandled)
  var program = load('main')
  program.main(words, program.createSystem()).then(function (code) {
    process.exitCode = code
  }, crash)
}

/** Runs a command that lists resources, for completion. */
function list(command, ms) {
  var program = isBinary ? [] : [__filename]
  require('child_process').spawnSync(process.execPath, program.concat(command), { stdio: 'ignore', timeout: ms })
}

/** Returns the working folder, or an empty string if it no longer exists. */
function folder() {
  try {
    return process.cwd()
  } catch (_) {
    return ''
  }
}

/**
 * Returns whether the version is requested, as the sole argument. Among other words, such as those of a restore, it
 * would succeed without doing anything.
 */
function asksVersion() {
  return words.length === 1 && ['-V', '-v', '--version', 'version'].indexOf(words[0]) >= 0
}

var loadFile

/** Loads a file of dist/ by its name without the extension. */
function load(name) {
  var fs = require('fs')
  var dist = isBinary ? __filename.replace(/\\/g, '/') + '/dist' : require('path').join(__dirname, '../dist')
  var file = dist + '/' + name + '.js'
  try {
    loadFile = loadFile || loaderOf(isBinary ? assets(dist) : fs, require('vm'), dist + '/', createCodeCache(fs, load))
    return loadFile(file)
  } catch (error) {
    if (error.code === 'ENOENT' && !fs.existsSync(file)) stop('is not built yet. Run: npm run build')
    throw error
  }
}

/** Returns what the loader needs of `fs`, for the files that the executable has. They are ASCII. */
function assets(dist) {
  var sea = require('node:sea')
  return {
    readFileSync: function (file) {
      return Buffer.from(sea.getRawAsset(file.slice(dist.length + 1))).latin1Slice()
    },
  }
}

// The build copies the functions up to the next such line to dist/platform.js, for programs that import the package.
// -- loader --
/**
 * Creates a loader for the files of dist/, which require each other only by relative paths. Node's own loader makes
 * about a dozen file system calls for each file, and Node 20 compiles it again in every run: together a third of the
 * time of a short command. `codeCache` reads and writes the code cache.
 */
function loaderOf(fs, vm, dist, codeCache) {
  var heavy = /^node:(child_process|crypto|dns|fs\/promises|https?|net|os|perf_hooks|tls|v8|worker_threads|zlib)$/
  var loaded = Object.create(null)
  return fileAt

  function fileAt(file) {
    var known = loaded[file]
    if (known) return known.exports
    var folder = file.slice(0, file.lastIndexOf('/') + 1)
    var it = { exports: {}, id: file, filename: file, loaded: false }
    loaded[file] = it
    try {
      compile(fs.readFileSync(file, 'utf8'), file).call(
        it.exports,
        it.exports,
        requireIn(folder),
        it,
        file,
        folder.slice(0, -1),
      )
    } catch (error) {
      delete loaded[file]
      throw error
    }
    it.loaded = true
    return it.exports
  }

  function requireIn(folder) {
    function requireFile(name) {
      if (name.charAt(0) !== '.') return heavy.test(name) ? onUse(name) : require(name)
      return fileAt(name.charAt(1) === '.' ? dist + name.slice(3) : folder + name.slice(2))
    }
    requireFile.resolve = require.resolve
    return requireFile
  }

  /** Loads a module of Node at the first use of an export: each takes a millisecond or more, and few runs need all. */
  function onUse(name) {
    var it
    return new Proxy(Object.create(null), {
      get: function (_, key) {
        return (it = it || require(name))[key]
      },
      has: function (_, key) {
        return key in require(name)
      },
      ownKeys: function () {
        return Reflect.ownKeys(require(name))
      },
    })
  }

  function compile(code, file) {
    var stamp = codeCache && code.length > 2000 && /\/\/ (\w{16})\s*$/.exec(code.slice(-24))
    // V8 compares only the length of the code, so the name changes with the content.
    var name = stamp ? file.slice(file.lastIndexOf('/') + 1, -2) + stamp[1] + '.js' : ''
    var head = '(function (exports, require, module, __filename, __dirname) { '
    var script = new vm.Script(head + code + '\n})', {
      filename: file,
      columnOffset: -head.length,
      cachedData: name ? codeCache.find(name) : undefined,
    })
    if (name && script.cachedDataRejected !== false) codeCache.keep(name, script)
    return script.runInThisContext()
  }
}

/**
 * Opens the cache of compiled code in the user's own cache folder. In a shared folder, another user could place code
 * there that we would run.
 */
function createCodeCache(fs, load) {
  var env = process.env
  var home = env.HOME || env.USERPROFILE
  var base =
    env.XDG_CACHE_HOME ||
    env.LOCALAPPDATA ||
    (home && home + (process.platform === 'darwin' ? '/Library/Caches' : '/.cache'))
  var own = env.PARLEY_CACHE_DIR || (base && base + '/parley')
  if (!own || env.NODE_DISABLE_COMPILE_CACHE) return null
  var folder = own + '/' + process.version + '-' + process.arch
  var monthMs = 30 * 24 * 3600 * 1000
  var fresh = []
  return {
    /** Returns the compiled code of an earlier run. V8 rejects code that another version compiled. */
    find: function (name) {
      try {
        return fs.readFileSync(folder + '/' + name)
      } catch (_) {
        // Not cached or not readable: the file is compiled.
      }
    },
    keep: function (name, script) {
      // Written at exit, when all functions in use are compiled.
      if (fresh.length === 0) process.once('exit', write)
      fresh.push({ file: folder + '/' + name, script: script })
    },
  }

  function write() {
    try {
      load('main').makeFolder(folder)
      fs.readdirSync(folder).forEach(function (name) {
        var old = folder + '/' + name
        if (Date.now() - fs.statSync(old).mtimeMs > monthMs) fs.unlinkSync(old)
      })
      fresh.forEach(function (it) {
        var draft = it.file + '.' + process.pid
        var open = fs.openSync(draft, 'wx', 384)
        fs.writeSync(open, it.script.createCachedData())
        fs.closeSync(open)
        fs.renameSync(draft, it.file)
      })
    } catch (_) {
      // The cache cannot be written; the next run compiles again.
    }
  }
}

// -- end of the loader --

/**
 * Writes directly to the descriptor, because opening the stream of process.stdout takes longer than the whole response.
 */
function print(text) {
  if (text === '') return
  try {
    require('fs').writeSync(1, text + '\n')
  } catch (error) {
    if (error.code === 'EAGAIN') process.stdout.write(text + '\n')
    else if (error.code !== 'EPIPE') stop('could not write its output: ' + error.message)
  }
}

/**
 * Handles uncaught errors. A closed output is not an error: the reader has read enough, as in `parley ... | head -1`.
 */
function unhandled(error) {
  if (error && error.code === 'EPIPE' && error.syscall === 'write') process.exit(0)
  // The terminal was closed.
  if (error && error.code === 'EIO') process.exit(129)
  crash(error)
}

function crash(error) {
  var debug = process.env.PARLEY_DEBUG || words.indexOf('--debug') >= 0
  var message = String((error && error.message) || error).split('\n')[0]
  stop(
    debug
      ? 'failed unexpectedly: ' + ((error && error.stack) || error)
      : 'failed unexpectedly: ' + message + ' (--debug shows where)',
  )
}

function stop(message) {
  process.stderr.write('parley ' + message + '\n')
  process.exit(1)
}
