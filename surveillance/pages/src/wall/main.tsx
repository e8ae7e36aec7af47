import { render } from 'preact';
import { WallApp } from './wall-app.js';

const root = document.getElementById('app');
if (root === null) throw new Error('the document has no element `app`');
render(<WallApp />, root);
