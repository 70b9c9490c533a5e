import { type Command, Option } from 'commander'
import { DEFAULT_SCOPE, SCOPES, scopeText } from '../../domain/application.ts'
import { CLIENT_KINDS, PKCE_USES } from '../../domain/redirect-uris.ts'
import type { CommandContext } from './command-context.ts'
import {
  A_DAY_SECONDS,
  collect,
  examples,
  json,
  jsonLines,
  lifetime,
  overlapSeconds,
  yes,
} from './options.ts'

export const addApplicationCommands = (portcullis: Command, context: CommandContext): void => {
  const application = portcullis.command('application').description('manage applications and their API keys')
  application
    .command('create')
    .description('register an application, and print its private key once')
    .requiredOption('--name <name>', '1 to 100 printable characters')
    .option(
      '--scope <scopes>',
      `what its tokens allow, separated by spaces or repeated: ${SCOPES.join(', ')}. Without it: ${scopeText(DEFAULT_SCOPE)}, or none with --redirect-uri`,
      collect,
    )
    .addOption(noScopes('give it no scopes: it gets no tokens of its own'))
    .option('--user-token-ttl <seconds>', USER_TOKEN_TTL, lifetime)
    .option('--idle-ttl <seconds>', IDLE_TTL, lifetime)
    .option('--session-ttl <seconds>', SESSION_TTL, lifetime)
    .option('--remember-ttl <seconds>', REMEMBER_TTL, lifetime)
    .option('--require-aal2', REQUIRE_AAL2)
    .option('--require-verified-email', REQUIRE_VERIFIED_EMAIL)
    .option(
      '--passkey-origin <url>',
      'origin of its pages or app with passkeys; repeat it for several',
      collect,
    )
    .option(
      '--redirect-uri <uri>',
      'where a sign-in at the OpenID provider may lead back; repeat it for several',
      collect,
    )
    .option(
      '--logout-uri <uri>',
      'where a logout at the OpenID provider may lead; repeat it for several',
      collect,
    )
    .addOption(client())
    .addOption(pkce())
    .addOption(yes())
    .addOption(json())
    .addHelpText(
      'after',
      examples(
        'portcullis application create --name shop',
        'portcullis application create --name gate --scope "users:sign_in tokens:introspect" --json',
        'portcullis application create --name bank --require-aal2 --passkey-origin https://bank.example.com',
        'portcullis application create --name app --client public --redirect-uri com.example.app:/callback',
      ),
    )
    .action(
      async ({
        passkeyOrigin: passkeyOrigins,
        redirectUri: redirectUris,
        logoutUri: logoutUris,
        scope = redirectUris === undefined ? DEFAULT_SCOPE : [],
        scopes: hasScopes,
        ...options
      }) =>
        (await import('./commands.ts')).applicationCreate(context, {
          ...options,
          scope: hasScopes ? scope.join(' ') : '',
          passkeyOrigins,
          redirectUris,
          logoutUris,
        }),
    )
  application
    .command('list')
    .description('list all applications without their secrets, one per line')
    .addOption(jsonLines())
    .addHelpText('after', examples('portcullis application list'))
    .action(async (options) => (await import('./commands.ts')).applicationList(context, options))
  application
    .command('set')
    .description('change an application, at once for all its tokens; what is not named stays')
    .argument('<application>', ID_OR_NAME)
    .option('--name <name>', '1 to 100 printable characters')
    .option(
      '--scope <scopes>',
      'all scopes from now on, separated by spaces or repeated; tokens lose the others, and only new ones gain any',
      collect,
    )
    .addOption(noScopes('take all scopes away'))
    .option('--user-token-ttl <seconds>', USER_TOKEN_TTL, lifetime)
    .option('--idle-ttl <seconds>', IDLE_TTL, lifetime)
    .option('--session-ttl <seconds>', SESSION_TTL, lifetime)
    .option('--remember-ttl <seconds>', REMEMBER_TTL, lifetime)
    .option('--require-aal2', REQUIRE_AAL2)
    .option('--no-require-aal2', 'let users without a second factor sign in again')
    .option('--require-verified-email', REQUIRE_VERIFIED_EMAIL)
    .option('--no-require-verified-email', 'let users without a confirmed e-mail sign in again')
    .option(
      '--return-url <url>',
      'all URLs, from now on, to which pages and mails may send its users back: repeat it for several',
      collect,
    )
    .option('--no-return-url', 'send its users back to no URL')
    .option(
      '--redirect-uri <uri>',
      'all URIs, from now on, to which a sign-in at the OpenID provider may lead back: repeat it for several',
      collect,
    )
    .addOption(
      new Option('--no-redirect-uris', 'let no sign-in lead back: it is no client').conflicts('redirectUri'),
    )
    .option(
      '--logout-uri <uri>',
      'all URIs, from now on, to which a logout at the OpenID provider may lead: repeat it for several',
      collect,
    )
    .addOption(new Option('--no-logout-uris', 'let no logout lead to a URI').conflicts('logoutUri'))
    .addOption(client())
    .addOption(pkce())
    .addOption(json())
    .addHelpText(
      'after',
      examples(
        'portcullis application set shop --scope users:sign_in',
        'portcullis application set shop --user-token-ttl 600 --session-ttl 2592000',
        'portcullis application set shop --user-token-ttl 600 --idle-ttl 43200 --session-ttl 2592000 --remember-ttl 2592000',
        'portcullis application set shop --session-ttl default',
        'portcullis application set shop --require-aal2',
        'portcullis application set shop --require-verified-email',
        'portcullis application set shop --return-url https://shop.example.com/welcome',
        'portcullis application set shop --redirect-uri https://shop.example.com/callback --logout-uri https://shop.example.com/bye',
      ),
    )
    .action(
      async (
        idOrName,
        { json: asJson, scope, scopes: hasScopes, returnUrl, redirectUri, logoutUri, ...request },
      ) =>
        (await import('./commands.ts')).applicationSet(context, idOrName, {
          json: asJson,
          request: {
            ...request,
            ...(scope && { scope: scope.join(' ') }),
            ...(!hasScopes && { scope: '' }),
            ...(returnUrl === undefined ? {} : { returnUrls: Array.isArray(returnUrl) ? returnUrl : [] }),
            redirectUris: redirectUri ?? (request.redirectUris ? undefined : []),
            logoutUris: logoutUri ?? (request.logoutUris ? undefined : []),
          },
        }),
    )
  application
    .command('set-passkey-origins')
    .description(
      'set the origins of the pages and apps on which an application uses passkeys, at once; without any, it has no passkeys',
    )
    .argument('<application>', ID_OR_NAME)
    .argument(
      '[urls...]',
      'all origins from now on: https://HOST, android:apk-key-hash:HASH or http://localhost',
    )
    .addOption(json())
    .addHelpText(
      'after',
      examples(
        'portcullis application set-passkey-origins shop https://shop.example.com https://www.shop.example.com',
        'portcullis application set-passkey-origins shop',
      ),
    )
    .action(async (idOrName, origins, options) =>
      (await import('./commands.ts')).applicationSetPasskeyOrigins(context, idOrName, {
        ...options,
        origins,
      }),
    )
  application
    .command('rotate')
    .description('make a new private key and print it once; the old key works until the overlap ends')
    .argument('<application>', ID_OR_NAME)
    .option(
      '--overlap <seconds>',
      'how long the old key works; 0 revokes it now',
      overlapSeconds,
      A_DAY_SECONDS,
    )
    .addOption(json())
    .addHelpText('after', examples(`portcullis application rotate shop --overlap 3600`))
    .action(async (idOrName, options) =>
      (await import('./commands.ts')).applicationRotate(context, idOrName, options),
    )
  application
    .command('revoke')
    .description('revoke an application: its keys, its tokens and the sessions that it opened')
    .argument('<application>', ID_OR_NAME)
    .addOption(json())
    .addHelpText('after', examples(`portcullis application revoke ${AN_ID}`))
    .action(async (idOrName, options) =>
      (await import('./commands.ts')).applicationRevoke(context, idOrName, options),
    )
  application
    .command('create-pages')
    .description(
      'make the next application of the account pages after theirs was revoked; they work again at once',
    )
    .addOption(json())
    .addHelpText('after', examples('portcullis application create-pages'))
    .action(async (options) => (await import('./commands.ts')).applicationCreatePages(context, options))
}

const ID_OR_NAME = 'id of the application, or its name if no other has it'
const USER_TOKEN_TTL = 'lifetime of its user tokens; default is USER_TOKEN_TTL'
const IDLE_TTL = 'how long its sessions live without a renewal; default is that of the service'
const SESSION_TTL = 'lifetime of its sessions; default is that of the service'
const REMEMBER_TTL = 'lifetime of its remembered sessions, renewed or not; default is that of the service'
const REQUIRE_AAL2 = 'require a second factor: users without one cannot sign in'
const REQUIRE_VERIFIED_EMAIL = 'require a confirmed e-mail: users without one cannot sign in'
const CLIENT =
  'kind of client, confidential by default: a public one runs on devices of users and keeps no secret'
const PKCE = 'whether it must send PKCE, required by default: optional is only for a confidential client'
const AN_ID = '01a20174-dd5e-740b-ab17-65753410836b'

const noScopes = (description: string) => new Option('--no-scopes', description).conflicts('scope')
const client = () => new Option('--client <kind>', CLIENT).choices(CLIENT_KINDS)
const pkce = () => new Option('--pkce <use>', PKCE).choices(PKCE_USES)
