// @ts-check
/** @import { JSValueHandle, QuickJS } from 'quickjs-wasi' */

/**
 * Compiled sources, from their second use; null after the first. The code of automations runs many times, and compiling
 * it takes longer than most of it runs. They are compiled before any code runs in a machine.
 * @type {Map<string, Uint8Array | null>}
 */
const compiledSources = new Map()
const maxCompiled = { count: 200, length: 50_000 }

/**
 * Evaluates a source, compiled if it was used before.
 * @param {QuickJS} vm @param {string} source @param {number} flags @returns {JSValueHandle}
 */
export function evaluateSource(vm, source, flags) {
  // Imports are refused while a module is loaded, which a compiled one no longer is.
  if (source.length > maxCompiled.length || /\bimport\b/.test(source)) return vm.evalCode(source, 'code', flags)
  let compiled = compiledSources.get(source)
  if (compiled === null) {
    compiled = vm.compile(source, 'code', flags)
    compiledSources.set(source, compiled)
  }
  if (compiled) return vm.evalBytecode(compiled)
  const evaluated = vm.evalCode(source, 'code', flags)
  if (compiledSources.size >= maxCompiled.count) compiledSources.clear()
  compiledSources.set(source, null)
  return evaluated
}
