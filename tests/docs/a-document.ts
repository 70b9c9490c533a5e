import type { OpenAPIV3_1 } from 'openapi-types'

/** A document with one of everything that the page can show, independent of the service. */
export const A_DOCUMENT: OpenAPIV3_1.Document = {
  openapi: '3.1.1',
  info: {
    title: 'Lighthouse',
    version: '7.8.9',
    summary: 'Shows ships where the rocks are.',
    description:
      '## Every ship\n\nA `ship` is seen **at night**:\n\n- from the left,\nfar away\n- from the right\n\nSee [the stars](https://stars.test/).',
  },
  servers: [{ url: '/coast' }],
  security: [],
  tags: [{ name: 'Lamps', description: 'They turn.' }, { name: 'Nobody has this one' }],
  paths: {
    '/lamps': {
      parameters: [{ $ref: '#/components/parameters/Ship' }],
      get: {
        tags: ['Lamps'],
        summary: 'Look at the `lamps`',
        responses: {
          200: {
            description: 'How they are.',
            headers: {
              'Lamp-Age': {
                description: 'In nights.',
                required: true,
                schema: { type: 'integer', maximum: 9000 },
              },
              Tide: { $ref: '#/components/headers/Tide' },
            },
            content: {
              'application/json': {
                schema: {
                  type: 'array',
                  items: { $ref: '#/components/schemas/Lamp' },
                  minItems: 1,
                  maxItems: 3,
                },
                example: [{ color: 'red' }],
              },
            },
          },
          500: { $ref: '#/components/responses/500' },
        },
      },
      post: {
        tags: ['Lamps'],
        summary: 'Light one',
        description: 'It burns until **morning**.',
        security: [{ keeper: ['lamps:light', 'oil'] }, { guest: [] }],
        parameters: [
          {
            name: 'Wind',
            in: 'header',
            description: 'Its force.',
            required: true,
            schema: { type: 'number' },
          },
        ],
        requestBody: {
          description: 'Which one.',
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/Lamp' },
              examples: {
                red: {
                  summary: 'A red one',
                  description: 'It is rare.',
                  value: { color: 'red', name: "O'Hara's <lamp>" },
                },
                other: { $ref: '#/components/examples/other' },
              },
            },
          },
        },
        responses: { 201: { description: 'It burns.' }, 429: { description: 'Too many burn.' } },
      },
    },
    '/fog': {
      servers: [{ url: 'https://weather.test/now/' }],
      head: { summary: 'Whether there is any', responses: { 204: { description: 'There is.' } } },
      post: {
        summary: 'Report some',
        security: [{ harbour: [] }],
        requestBody: {
          content: {
            'application/x-www-form-urlencoded': {
              schema: {},
              example: { where: 'the bay', how: 'thick & wet' },
            },
          },
        },
        responses: { default: { description: 'Thank you.' } },
      },
    },
  },
  components: {
    schemas: {
      Lamp: {
        type: 'object',
        description: 'What turns.',
        required: ['color'],
        properties: {
          color: { enum: ['red', 'green'], description: 'Of its glass.' },
          name: {
            type: ['string', 'null'],
            minLength: 1,
            maxLength: 40,
            pattern: '^[^\\n]*$',
            examples: ['Big one'],
          },
          label: { type: 'string', pattern: '^[^\\uD800-\\uDFFF]*$' },
          since: { type: 'string', format: 'date-time', default: 'now' },
          turns: { const: true },
          watts: { type: 'integer', minimum: 5 },
          parts: { type: 'array', items: { type: 'object', properties: { screw: { type: 'boolean' } } } },
          more: { type: 'object', additionalProperties: { type: 'string', minLength: 3 } },
          either: { oneOf: [{ title: 'gas', description: 'Burns.' }, { type: 'null' }] },
          some: { anyOf: [{ const: 1 }, { const: 'one' }] },
          both: { allOf: [{ $ref: '#/components/schemas/Oil' }, { type: 'object' }] },
        },
      },
      Oil: { type: 'string' },
    },
    responses: {
      500: { description: 'The keeper sleeps.', content: { 'text/plain': { schema: { type: 'string' } } } },
    },
    headers: { Tide: { description: 'High or low.', schema: { type: 'string' } } },
    parameters: { Ship: { name: 'Ship', in: 'header', description: 'Who looks.' } },
    securitySchemes: {
      keeper: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'Has the `key`.' },
      harbour: { type: 'http', scheme: 'basic' },
      guest: { type: 'http', scheme: 'bearer' },
    },
    examples: { other: { summary: 'Another one', value: { color: 'green' } } },
  },
}
