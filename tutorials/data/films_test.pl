% What the other six liked, and (with weight 0) what they did not: invented for this tutorial.
0.0::likes(otto, apollo). likes(otto, big_river). 0.0::likes(otto, clown_car).
likes(otto, dragon_hill). 0.0::likes(otto, edge_of_light). likes(otto, four_cats).
likes(otto, grey_street). likes(otto, hollow_king). 0.0::likes(otto, iron_orbit).
likes(otto, jackpot). 0.0::likes(otto, kite_season). likes(otto, lantern).
0.0::likes(otto, moon_tea). likes(otto, night_train). likes(pia, apollo).
0.0::likes(pia, big_river). 0.0::likes(pia, clown_car). likes(pia, dragon_hill).
0.0::likes(pia, edge_of_light). 0.0::likes(pia, four_cats). 0.0::likes(pia, grey_street).
likes(pia, hollow_king). 0.0::likes(pia, iron_orbit). 0.0::likes(pia, jackpot).
0.0::likes(pia, kite_season). likes(pia, lantern). 0.0::likes(pia, moon_tea).
0.0::likes(pia, night_train). 0.0::likes(quin, apollo). 0.0::likes(quin, big_river).
likes(quin, clown_car). 0.0::likes(quin, dragon_hill). 0.0::likes(quin, edge_of_light).
likes(quin, four_cats). 0.0::likes(quin, grey_street). 0.0::likes(quin, hollow_king).
0.0::likes(quin, iron_orbit). likes(quin, jackpot). likes(quin, kite_season).
0.0::likes(quin, lantern). likes(quin, moon_tea). 0.0::likes(quin, night_train).
0.0::likes(rosa, apollo). likes(rosa, big_river). likes(rosa, clown_car).
0.0::likes(rosa, dragon_hill). likes(rosa, edge_of_light). 0.0::likes(rosa, four_cats).
likes(rosa, grey_street). 0.0::likes(rosa, hollow_king). 0.0::likes(rosa, iron_orbit).
likes(rosa, jackpot). likes(rosa, kite_season). 0.0::likes(rosa, lantern).
likes(rosa, moon_tea). likes(rosa, night_train). 0.0::likes(sam, apollo). likes(sam, big_river).
0.0::likes(sam, clown_car). likes(sam, dragon_hill). 0.0::likes(sam, edge_of_light).
likes(sam, four_cats). likes(sam, grey_street). likes(sam, hollow_king).
0.0::likes(sam, iron_orbit). likes(sam, jackpot). 0.0::likes(sam, kite_season).
likes(sam, lantern). 0.0::likes(sam, moon_tea). likes(sam, night_train).
0.0::likes(tess, apollo). likes(tess, big_river). likes(tess, clown_car).
likes(tess, dragon_hill). 0.0::likes(tess, edge_of_light). likes(tess, four_cats).
0.0::likes(tess, grey_street). likes(tess, hollow_king). 0.0::likes(tess, iron_orbit).
0.0::likes(tess, jackpot). likes(tess, kite_season). likes(tess, lantern).
likes(tess, moon_tea). 0.0::likes(tess, night_train).
