/** What bin/ loads, in one file: the program, the world it runs in, and what makes the folder of compiled code. */

export { main } from './main.ts'
export { makeFolder } from './node/make-folder.ts'
export { createSystem } from './system.ts'
