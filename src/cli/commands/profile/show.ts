import { command } from '../../commandline/command.ts'
import { maskKey } from '../../configuration/profiles.ts'

export const show = command({
  summary: 'Show the profile in use and its settings',
  examples: ['', '--profile staging', '--origin'],
  flags: [{ flags: '--origin', describe: 'Show where each value comes from' }],
  async run(context, { flags }) {
    const { profileName, profile, baseUrl, key, timeoutMs, retries, output, profileFrom } = await context.settings()
    const fromProfile = (value: unknown): string => (value === undefined ? 'built-in' : profileFrom)
    const values = {
      profile: profileName.value,
      base_url: baseUrl.value,
      key: key.value ? maskKey(key.value) : key.from,
      output: output.value,
      timeout: timeoutMs.value / 1000,
      retries: retries.value,
      vocabulary: profile.vocabulary ?? null,
      routes: profile.routes ?? null,
      protected: profile.protected === true,
      read_only: profile.read_only === true,
    }
    const origin: Record<keyof typeof values, string> = {
      profile: profileName.from,
      base_url: baseUrl.from,
      key: key.from,
      output: output.from,
      timeout: timeoutMs.from,
      retries: retries.from,
      vocabulary: fromProfile(profile.vocabulary),
      routes: fromProfile(profile.routes),
      protected: fromProfile(profile.protected),
      read_only: fromProfile(profile.read_only),
    }
    await context.out.record(flags.origin ? { ...values, origin } : values, {
      view: {
        id: (it) => it.profile,
        columns: [{ key: 'read_only', title: 'Read-only', priority: 4, kind: 'bool' }],
        empty: '',
      },
    })
  },
})
