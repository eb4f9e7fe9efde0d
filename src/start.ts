/** What bin/ loads, in one file: the program, the world it runs in, and what makes the folder of compiled code. */
export { makeFolder } from './folder.ts'
export { main } from './main.ts'
export { createSystem } from './world.ts'
