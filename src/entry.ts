/**
 * Exports what bin/ loads from one file: the program, its system, and the function that creates the folder of compiled
 * code.
 */

export { main } from './main.ts'
export { makeFolder } from './node/make-folder.ts'
export { createSystem } from './system.ts'
