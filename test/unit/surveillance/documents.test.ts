import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { contractDocuments, documentText } from '../../../surveillance/contract/documents.js';
import { TOPIC_KINDS } from '../../../surveillance/contract/topics.js';

const FOLDER = new URL('../../../surveillance/contract/schema/', import.meta.url);

describe('the published documents', () => {
  const documents = contractDocuments();

  it('are exactly those in surveillance/contract/schema', () => {
    expect(readdirSync(FOLDER).sort()).toEqual(Object.keys(documents).sort());
  });

  it.each(Object.keys(documents))(
    '%s is what `cutcard contract schema surveillance/contract/schema` writes',
    (name) => {
      const committed = readFileSync(new URL(name, FOLDER), 'utf8');
      expect(committed).toBe(documentText(documents[name] ?? {}));
    },
  );

  it('AsyncAPI: every reference leads somewhere and every topic is described', () => {
    const text = JSON.stringify(documents['asyncapi.json']);
    const document: unknown = JSON.parse(text);
    const references = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => match[1] ?? '');
    expect(references.length).toBeGreaterThan(30);
    for (const reference of references) {
      let at: unknown = document;
      for (const step of reference.split('/')) {
        expect(at, reference).toHaveProperty(step);
        at = Object.entries(at ?? {}).find(([key]) => key === step)?.[1];
      }
    }
    for (const kind of TOPIC_KINDS) expect(text).toContain(`{table}/${kind}`);
  });
});
