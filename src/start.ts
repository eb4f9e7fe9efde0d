/** What bin/ loads, in one file: the program, and the world it runs in. */
export { main } from './main.ts'
export { createWorld } from './world.ts'
