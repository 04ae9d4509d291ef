// Which step's annotated source is shown. Without this script each is a <details> of its own.
{
  const form = document.getElementById("listing-picker");
  const listings = [...document.querySelectorAll("details.listing")];
  const choose = (name) => {
    for (const listing of listings) {
      const chosen = listing.dataset.unit === name;
      listing.hidden = !chosen;
      listing.open = chosen;
      listing.classList.toggle("chosen", chosen);
    }
  };
  if (form) {
    form.hidden = false;
    form.addEventListener("change", () => choose(form.elements.unit.value));
    choose(form.elements.unit.value);
  }
}
