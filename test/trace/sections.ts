/** Every letter and number of the five sections, as printed, and the pack that holds it. */
export const SECTIONS: readonly { readonly pack: string; readonly clauses: readonly string[] }[] = [
  {
    pack: 'pa/627a-minibaccarat',
    clauses: ['627a.9(a)', '627a.9(b)', '627a.9(c)', '627a.9(d)', '627a.9(e)'],
  },
  {
    pack: 'pa/631a-baccarat',
    clauses: ['631a.5(a)', '631a.5(b)', '631a.5(c)', '631a.5(d)', '631a.5(e)', '631a.5(f)'],
  },
  {
    pack: 'pa/651a-casino-war',
    clauses: [
      '651a.8(a)',
      '651a.8(b)',
      '651a.8(c)',
      '651a.8(c)(1)',
      '651a.8(c)(2)',
      '651a.8(d)',
      '651a.8(e)',
    ],
  },
  {
    pack: 'pa/663a-five-card-hi-lo',
    clauses: [
      '663a.5(a)',
      '663a.5(b)',
      '663a.5(c)(1)',
      '663a.5(c)(2)',
      '663a.5(d)',
      '663a.5(e)',
      '663a.5(f)',
      '663a.5(g)',
    ],
  },
  {
    pack: 'pa/677a-heads-up-hold-em',
    clauses: [
      '677a.9(a)(1)',
      '677a.9(a)(2)',
      '677a.9(b)',
      '677a.9(c)',
      '677a.9(d)',
      '677a.9(e)',
      '677a.9(f)',
    ],
  },
];
