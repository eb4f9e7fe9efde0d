import { usageError } from '../errors/usage-error.ts'
import type { System } from '../system.ts'

interface Keychain {
  /** The program, and the arguments and the input that save a key. The key is never an argument. */
  store(profile: string, key: string): readonly [program: string, args: readonly string[], input: string]
  remove(profile: string): readonly [program: string, args: readonly string[]]
  /** The command that prints the key. */
  lookup(profile: string): string
  readonly install: string
}

/**
 * Keys are stored under it, and profiles have the commands of `lookup`, by which `removeFromKeychain` and `keys rotate`
 * recognize a key: neither changes.
 */
const service = 'parley'

/** `secret-tool` reads the secret from standard input. */
const secretService: Keychain = {
  store: (profile, key) => [
    'secret-tool',
    ['store', `--label=Parley API key of ${profile}`, 'service', service, 'profile', profile],
    key,
  ],
  remove: (profile) => ['secret-tool', ['clear', 'service', service, 'profile', profile]],
  lookup: (profile) => `secret-tool lookup service ${service} profile ${profile}`,
  install: 'Install secret-tool (package libsecret-tools) and start a keyring',
}

/** `security -i` reads whole commands from standard input. */
const macKeychain: Keychain = {
  store: (profile, key) => [
    'security',
    ['-i'],
    `add-generic-password -U -s ${service} -a ${profile} -w "${key.replaceAll(/["\\]/g, (it) => `\\${it}`)}"\n`,
  ],
  remove: (profile) => ['security', ['delete-generic-password', '-s', service, '-a', profile]],
  lookup: (profile) => `security find-generic-password -s ${service} -a ${profile} -w`,
  install: 'Unlock the login keychain',
}

/** Returns the keychain of this system. @throws ClientFailure `usage` on a system without a supported one */
function keychainOf({ os }: System): Keychain {
  if (os === 'darwin') return macKeychain
  if (os !== 'win32') return secretService
  throw usageError(
    '--keychain works on macOS and Linux only.',
    'Use --api-key-stdin, or --api-key-command with a password manager.',
  )
}

/**
 * Saves the API key of a profile in the keychain of the system and reads it back. Returns the command that prints it.
 * @throws ClientFailure `usage` if the keychain does not save it
 */
export async function saveInKeychain(system: System, profile: string, key: string): Promise<string> {
  const keychain = keychainOf(system)
  const [program, args, input] = keychain.store(profile, key)
  const lookup = keychain.lookup(profile)
  const saved = await system.run(program, args, { interactive: false, input })
  const [reader = '', ...readerArgs] = lookup.split(' ')
  const read = saved.exitCode === 0 ? await system.run(reader, readerArgs, { interactive: false }) : saved
  if (saved.exitCode !== 0 || read.stdout.trim() !== key)
    throw usageError(
      `${program} did not save the API key (exit code ${read.exitCode}). Nothing was changed.`,
      `${read.stderr.trim() === '' ? '' : `${read.stderr.trim()} `}${keychain.install}, or save the key without --keychain.`,
    )
  return lookup
}

/** Removes the API key of a profile from the keychain, if its key command reads it from there. */
export async function removeFromKeychain(
  system: System,
  profile: string,
  keyCommand: string | undefined,
): Promise<void> {
  const keychain = [secretService, macKeychain].find((it) => it.lookup(profile) === keyCommand)
  if (!keychain) return
  const [program, args] = keychain.remove(profile)
  await system.run(program, args, { interactive: false })
}
