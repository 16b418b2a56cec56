% What fourteen of the people of films.pl liked, nothing else: invented for this tutorial.
likes(ann, apollo). likes(ann, edge_of_light). likes(ann, grey_street). likes(ann, hollow_king).
likes(ann, iron_orbit). likes(ben, big_river). likes(ben, grey_street). likes(ben, jackpot).
likes(ben, lantern). likes(ben, night_train). likes(cleo, apollo). likes(cleo, edge_of_light).
likes(cleo, four_cats). likes(cleo, iron_orbit). likes(dan, big_river). likes(dan, clown_car).
likes(dan, four_cats). likes(dan, grey_street). likes(dan, jackpot). likes(dan, kite_season).
likes(dan, moon_tea). likes(dan, night_train). likes(eva, dragon_hill). likes(eva, hollow_king).
likes(eva, lantern). likes(finn, clown_car). likes(finn, four_cats). likes(finn, hollow_king).
likes(finn, kite_season). likes(finn, moon_tea). likes(gina, clown_car). likes(gina, four_cats).
likes(gina, hollow_king). likes(gina, kite_season). likes(gina, lantern). likes(gina, moon_tea).
likes(hugo, apollo). likes(hugo, edge_of_light). likes(hugo, iron_orbit). likes(hugo, jackpot).
likes(ida, dragon_hill). likes(ida, edge_of_light). likes(ida, grey_street).
likes(ida, hollow_king). likes(ida, jackpot). likes(ida, lantern). likes(ida, night_train).
likes(jan, apollo). likes(jan, clown_car). likes(jan, four_cats). likes(jan, kite_season).
likes(jan, moon_tea). likes(kim, big_river). likes(kim, clown_car). likes(kim, four_cats).
likes(kim, kite_season). likes(kim, moon_tea). likes(leo, big_river). likes(leo, four_cats).
likes(leo, grey_street). likes(leo, jackpot). likes(leo, moon_tea). likes(leo, night_train).
likes(mia, big_river). likes(mia, clown_car). likes(mia, edge_of_light). likes(mia, four_cats).
likes(mia, grey_street). likes(mia, jackpot). likes(mia, kite_season). likes(mia, moon_tea).
likes(mia, night_train). likes(noa, apollo). likes(noa, clown_car). likes(noa, edge_of_light).
likes(noa, hollow_king). likes(noa, iron_orbit).
