import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { whyNoLocalBases } from '../image/local-base.ts'

/** What `make release` was asked for. */
export type Wanted = Readonly<{
  /** `no` omits the image. */
  image: string
  /** `registry`: the images that the Dockerfile names. `local`: substitutes that are made here. */
  base: string
}>

/** Reasons why the project in the current folder cannot be released, each with what to do. */
export const refusals = ({ image, base }: Wanted): ReadonlyArray<string> => [
  ...(['yes', 'no'].includes(image) ? [] : [`IMAGE must be yes or no, got "${image}".`]),
  ...(['registry', 'local'].includes(base) ? [] : [`BASE must be registry or local, got "${base}".`]),
  ...ofTree(),
  ...ofVersions(versionHere()),
  ...ofChangelog(readFileSync('CHANGELOG.md', 'utf8'), versionHere()),
  ...(image === 'yes' ? ofImage(base) : []),
]

export const versionHere = (): string => JSON.parse(readFileSync('package.json', 'utf8')).version

const ofTree = (): ReadonlyArray<string> => {
  const { status, stdout } = spawnSync('git', ['status', '--porcelain'], { encoding: 'utf8' })
  if (status !== 0) return ['This folder is not a git repository. Run make release in a clone.']
  if (stdout === '') return []
  const changes = stdout.trimEnd().split('\n')
  const more = changes.length > MOST_SHOWN ? [`… and ${changes.length - MOST_SHOWN} more`] : []
  return [
    [
      'The working tree differs from its commit. Commit, stash or remove these changes:',
      ...[...changes.slice(0, MOST_SHOWN), ...more].map((line) => `  ${line}`),
    ].join('\n'),
  ]
}

const MOST_SHOWN = 10

/** Where else a version is written. The first group of each match is the version. */
const VERSIONS: ReadonlyArray<readonly [file: string, statement: RegExp]> = [
  ['package-lock.json', /^ {2}"version": "([^"]*)"/gm],
  ['adapters/config/version.ts', /VERSION = '([^']*)'/g],
  ['Dockerfile', /image\.version="([^"]*)"/g],
  ['docs/deploy.md', /^VERSION=(.*)$/gm],
  ['docs/upgrade.md', /^VERSION=(.*)$/gm],
  ['docs/upgrade.md', /portcullis-(?:client-)?(\d+\.\d+\.\d+)/g],
  ['docs/adapters.md', /portcullis-(\d+\.\d+\.\d+)/g],
  ['docs/install.md', /portcullis-(?:client-)?(\d+\.\d+\.\d+)/g],
]

const ofVersions = (version: string): ReadonlyArray<string> => {
  const others = VERSIONS.flatMap(([file, statement]) =>
    [...readFileSync(file, 'utf8').matchAll(statement)]
      .map(([, stated]) => stated)
      .filter((stated) => stated !== version)
      .map((stated) => `${file} has version ${stated}, but package.json has ${version}. Correct it.`),
  )
  return [...new Set(others)]
}

const ofChangelog = (changelog: string, version: string): ReadonlyArray<string> => {
  const heading = new RegExp(`^## ${version.replaceAll('.', '\\.')}(?: – (.*))?$`, 'm')
  const [, ...entry] = changelog.split(heading)
  const [date = '', rest = ''] = entry
  const example = `"## ${version} – YYYY-MM-DD"`
  if (entry.length === 0)
    return [
      `CHANGELOG.md has no entry for ${version}, the version in package.json. Add ${example} with what changed, or correct the version.`,
    ]
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date))
    return [`CHANGELOG.md gives version ${version} no date. Write ${example} as its heading.`]
  const [changes = ''] = rest.split(/^## /m)
  return /^- /m.test(changes)
    ? []
    : [`CHANGELOG.md lists no change for version ${version}. Add what changed below its heading.`]
}

const WITHOUT_IMAGE = 'To release without the image, run make release IMAGE=no.'

const ofImage = (base: string): ReadonlyArray<string> => {
  if (spawnSync('buildah', ['--version']).status !== 0)
    return [`There is no buildah for the image. Install it (on Debian: make buildah). ${WITHOUT_IMAGE}`]
  const why = base === 'local' ? whyNoLocalBases() : undefined
  return why === undefined ? [] : [`BASE=local does not work here: ${why}. ${WITHOUT_IMAGE}`]
}

/** The time of the current commit, in seconds since 1970. */
export const commitTime = (): string =>
  execFileSync('git', ['log', '-1', '--format=%ct'], { encoding: 'utf8' }).trim()
