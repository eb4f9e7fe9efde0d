import type { Command } from './command.ts'

/**
 * Returns a function that returns the loader of a command of a module. The module is loaded when one of its commands is
 * needed.
 */
export const commandsOf =
  <Module>(load: () => Promise<Module>) =>
  <Name extends keyof Module>(name: Name): (() => Promise<Module[Name] & Command>) =>
  async () =>
    (await load())[name] as Module[Name] & Command
