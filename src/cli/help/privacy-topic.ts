import { type LocalFile, localFiles } from '../configuration/local-files.ts'
import { alignedRows, wrap } from '../terminal/wrap-text.ts'

const folderTitles: Readonly<Record<LocalFile['folder'], string>> = {
  data: 'In the data folder (PARLEY_DATA_DIR)',
  configuration: 'In the folder of the configuration (PARLEY_CONFIG_DIR)',
  cache: 'In the cache folder (PARLEY_CACHE_DIR)',
}

const describeFile = ({ holds, until, personal }: LocalFile): string =>
  `${holds}${personal ? ' (personal data)' : ''}. Until: ${until}`

/** The help topic on what stays on this machine, and for how long. */
export const privacyTopic = (width: number): string =>
  `${[
    'Privacy',
    wrap(
      'Parley tells nobody that it is used: no telemetry, no check for newer versions. It asks the platform you name, and what you have it ask.',
      width,
      '',
    ),
    ...(Object.keys(folderTitles) as LocalFile['folder'][]).map(
      (folder) =>
        `${folderTitles[folder]}\n\n${alignedRows(
          localFiles.filter((it) => it.folder === folder).map((it) => [it.name, describeFile(it)]),
          width,
        )}`,
    ),
    wrap(
      'Folders are 0700 and files 0600: yours alone. Keys are shown by their last four characters; in verbose and debug output secrets are left out and phone numbers shortened. What is sent to a language model, a webhook or an automation leaves this machine: it goes where you said, and nowhere else.',
      width,
      '',
    ),
    'Everything older than a week: parley server purge --older-than 7d --yes\nWhether others could read it: parley doctor',
  ].join('\n\n')}\n`
