import { useState } from 'preact/hooks';
import { LIMITS, PATHS } from '../../../floor/api.js';
import { ask, useAsked } from './ask.js';
import { isNothing, isSearch, isSearches } from './shapes.js';

interface SearchesProps {
  /** The search as it stands now. */
  readonly query: string;
  readonly choose: (query: string) => void;
}

/** Searches kept under a title: chosen, added, deleted. */
export const Searches = ({ query, choose }: SearchesProps) => {
  const { value, error, again } = useAsked(PATHS.searches, isSearches);
  const [title, setTitle] = useState('');
  const [refusal, setRefusal] = useState('');
  const save = async (): Promise<void> => {
    const body = { title: title.trim(), query };
    const answer = await ask(PATHS.searches, isSearch, { method: 'POST', body });
    setRefusal(answer.ok ? '' : answer.error);
    if (!answer.ok) return;
    setTitle('');
    again();
  };
  const remove = async (id: number): Promise<void> => {
    const answer = await ask(`${PATHS.searches}/${id}`, isNothing, { method: 'DELETE' });
    setRefusal(answer.ok ? '' : answer.error);
    again();
  };
  const why = refusal === '' ? error : refusal;
  return (
    <div class="searches">
      <ul aria-label="Saved searches">
        {(value ?? []).map((search) => (
          <li key={search.id}>
            <button
              type="button"
              aria-pressed={search.query === query}
              onClick={() => {
                choose(search.query);
              }}
            >
              {search.title}
            </button>
            <button
              type="button"
              class="plain"
              aria-label={`Delete the search ${search.title}`}
              onClick={() => void remove(search.id)}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <label>
          <span class="unheard">Title of this search</span>
          <input
            value={title}
            placeholder="title of this search"
            required
            maxLength={LIMITS.title}
            onInput={({ currentTarget }) => {
              setTitle(currentTarget.value);
            }}
          />
        </label>
        <button type="submit">Save search</button>
      </form>
      {why !== '' && <p class="refused">{why}</p>}
    </div>
  );
};
