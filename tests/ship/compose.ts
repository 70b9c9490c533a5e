import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { ROOT } from '../architecture/root.ts'

/** The properties of a Compose service that the tests use. */
export type ComposeService = Readonly<{
  build?: string
  image: string
  user?: string
  environment: Readonly<Record<string, string>>
  secrets: ReadonlyArray<string>
  volumes?: ReadonlyArray<string>
  ports?: ReadonlyArray<string>
  networks: ReadonlyArray<string>
  depends_on?: Readonly<Record<string, Readonly<{ condition: string }>>>
  healthcheck?: Readonly<{ test: ReadonlyArray<string> }>
  restart: string
  stop_grace_period: string
  read_only: boolean
  tmpfs: ReadonlyArray<string>
  cap_drop: ReadonlyArray<string>
  security_opt: ReadonlyArray<string>
}>

export type Compose = Readonly<{
  services: Readonly<Record<string, ComposeService>>
  volumes: Readonly<Record<string, object>>
  networks: Readonly<Record<string, Readonly<{ internal?: boolean }>>>
  secrets: Readonly<Record<string, Readonly<{ file: string }>>>
}>

export const COMPOSE: Compose = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8'), { strict: true })

/** The environment of a service with PUBLIC_URL set and defaults for all other variables. */
export const environmentOf = (name: string): Readonly<Record<string, string>> => ({
  ...COMPOSE.services[name]?.environment,
  PUBLIC_URL: 'https://auth.example.com',
  TRUST_PROXY: '1',
})

/** The folder of secrets in a container. */
export const SECRETS_FOLDER = '/run/secrets/'
